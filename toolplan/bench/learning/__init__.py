"""What traces teach, measured: inertia on public trajectories, contracts learned from runs of written ones."""
