"""The phrasebook's pages: reads them, executes them. The pages are in phrasebook/; the report draws their index."""
