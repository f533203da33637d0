"""Where the judgement files go; everything else about the package is in pyproject.toml.

The repository keeps them at its top, in ``qrels/``, and the package installs them as ``legalir.qrels``. Such a
mapping beside automatic discovery is the one thing that pyproject.toml cannot say.
"""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["legalir*"]), "legalir.qrels"],
    package_dir={"legalir.qrels": "qrels"},
)
