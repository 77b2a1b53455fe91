"""What the package gives: each name with its home, once. `anonset.lazy_names` reads this file."""

from anonset.data.progress import Progress as Progress
from anonset.verification.check import Verifiable as Verifiable
from anonset.verification.check import verify as verify
from anonset.verification.item_truth import check_item_truth as check_item_truth
