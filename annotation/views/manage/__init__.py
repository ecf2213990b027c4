"""Experimenters' pages: studies, people, plan, materials, results, downloads."""
