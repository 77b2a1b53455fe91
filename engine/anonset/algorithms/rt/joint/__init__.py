"""Steps of joint top-down splitting of RT-datasets."""
