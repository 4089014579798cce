"""Random programs of every kind of statement: operators, views, writes, passes, hooks, custom functions, mistakes."""
