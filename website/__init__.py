"""The site: static pages from lessons, phrasebook, records and docs; `./run_all.sh site` builds it."""
