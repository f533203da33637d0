"""What is shown: tables, charts, the HTML report, comparisons."""
