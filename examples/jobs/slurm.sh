#!/bin/sh
# One shard of a study for each task of a Slurm array. A task that is killed or loses its node is queued again, and goes
# on where it was:
#   sbatch --array=1-32 slurm.sh map.json results && ... when all have ended: apart job merge map.json -o results
#SBATCH --job-name=apart
#SBATCH --requeue
#SBATCH --ntasks=1
set -eu
exec "${APART:-apart}" job run "$1" -o "$2" --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" \
    --threads "${SLURM_CPUS_PER_TASK:-1}"
