#!/usr/bin/env bash
# A Slurm of the tests' own: a controller and two nodes, which are processes on this machine with ports of their own.
#   slurm.sh start FOLDER     then: export SLURM_CONF=FOLDER/slurm.conf
#   slurm.sh node FOLDER N    starts node n1 or n2 (again)
#   slurm.sh stop FOLDER
# Of Debian's packages slurmctld, slurmd, slurm-client and munge it takes the programs alone; what they write lies in
# FOLDER, which its user must own with all above it. Nothing in /etc or /var is touched, and no service is used.
set -euo pipefail
folder=$(realpath -m "$2") port=${PORT:-17817}
export SLURM_CONF=$folder/slurm.conf
case $1 in
start)
    mkdir -p "$folder"/{state,spool,log}
    chmod 755 "$folder"
    head -c 128 /dev/urandom >"$folder/munge.key" && chmod 600 "$folder/munge.key"
    cat >"$SLURM_CONF" <<CONF
ClusterName=rosetta
SlurmctldHost=$(hostname)(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/%n.pid
SlurmctldLogFile=$folder/log/slurmctld.log
SlurmdLogFile=$folder/log/%n.log
# A container has no systemd and no cgroups that can be written to; clusters without accounting exist.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
# Both nodes claim the same cores, and each has a folder for temporary files.
SlurmdParameters=config_overrides
TaskProlog=$folder/prolog.sh
ReturnToService=2
SlurmdTimeout=10
MessageTimeout=10
KillWait=10
SchedulerParameters=batch_sched_delay=1,sched_interval=2,requeue_delay=1
NodeName=n[1-2] NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=$((port + 1))-$((port + 2)) CPUs=1 RealMemory=2000
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
    cat >"$folder/prolog.sh" <<PROLOG
#!/bin/sh
mkdir -p $folder/tmp/\$SLURMD_NODENAME
echo export TMPDIR=$folder/tmp/\$SLURMD_NODENAME
PROLOG
    chmod +x "$folder/prolog.sh"
    munged --key-file="$folder/munge.key" --socket="$folder/munge.socket" --pid-file="$folder/munged.pid" \
        --log-file="$folder/log/munged.log" --seed-file="$folder/munge.seed" --num-threads=2 --force
    slurmctld
    for k in 1 2; do "$0" node "$folder" "$k"; done
    for _ in $(seq 300); do [ "$(sinfo -h -t idle -o %D)" != 2 ] || exit 0 && sleep 0.1; done
    sinfo -N -l >&2
    exit 1
    ;;
node)
    mkdir -p "$folder/spool/n$3"
    slurmd -N "n$3"
    ;;
stop)
    for file in "$folder"/n*.pid "$folder"/slurmctld.pid "$folder"/munged.pid; do
        [ ! -s "$file" ] || kill "$(cat "$file")" 2>/dev/null || true
    done
    ;;
esac
