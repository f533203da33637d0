"""Reports of an experiment: tables, charts, the HTML report, comparisons."""
