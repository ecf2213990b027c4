"""Every write. A service is ``entity_verb``, takes keywords only, and either does all of its work or none."""
