# The checks of every change, as CI runs them first.
check:
    scripts/check.sh

# The longer checks: random drags in full, the real window, the import of many meshes.
extra-checks:
    scripts/extra-checks.sh

# All that CI does, packages included.
ci:
    .ci/run
