"""From records to statistics to tables, figures and pages: everything that is shown is generated here."""
