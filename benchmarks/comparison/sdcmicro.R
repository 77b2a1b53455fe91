# k-anonymity of a table with sdcMicro: Rscript sdcmicro.R WAY K DATA OUT; WAY is suppress or check.
suppressMessages(library(sdcMicro))
options <- commandArgs(trailingOnly = TRUE)
k <- as.integer(options[2])
data <- as.data.frame(data.table::fread(options[3], colClasses = "character", na.strings = "NA"))
data[] <- lapply(data, factor)
if (options[1] == "check") {
  sdc <- createSdcObj(data, keyVars = names(data))
  cat(min(sdc@risk$individual[, "fk"]), "\n")
} else {
  sdc <- kAnon(createSdcObj(data, keyVars = names(data)), k = k)
  data.table::fwrite(extractManipData(sdc), options[4], na = "NA")
}
