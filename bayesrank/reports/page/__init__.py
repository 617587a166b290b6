"""Pages: one self-contained HTML file each, readable without JavaScript, safe with any names."""

from bayesrank.reports.page.leaderboard import leaderboard_page

__all__ = ["leaderboard_page"]
