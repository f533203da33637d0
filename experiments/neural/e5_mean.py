"""Write the mean vector of statutes that the encoder ``e5`` subtracts (``legalir/dense/e5_mean.npy``).

    python experiments/neural/e5_mean.py FILE.npy en=FOLDER en=FOLDER de=FOLDER …

The mean of the languages' means, each the mean of its collections' means, of vectors of length 1. The one that ships
is of development sets in ten languages: de en fr id it ko pl th vi zh.
"""

import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

import legalir
from legalir.dense.e5 import E5


def main(file: str, *folders: str) -> None:
    """Encode the collections, without a mean, and write the mean vector."""
    means = defaultdict(list)
    for language, _, folder in (each.partition("=") for each in folders):
        vectors = legalir.Collection(folder).dense(E5(mean=0)).vectors
        means[language].append(np.mean(vectors, axis=0, dtype=np.float64))
    mean = np.mean([np.mean(each, axis=0) for each in means.values()], axis=0)
    np.save(Path(file), mean.astype(np.float32))
    print(f"{len(means)} languages, length {np.linalg.norm(mean):.3f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
