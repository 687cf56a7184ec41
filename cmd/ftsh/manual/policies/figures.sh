#!/bin/sh
# Makes the pictures of the page `policies`: figures.sh [FOLDER [PICTURE]], from this folder; one of them, or both.
# ftshsim is on PATH, or named by FTSHSIM.
set -e
to=${1:-.}
sim=${FTSHSIM:-ftshsim}
outage() {
    $sim run --quiet --seeds 3 --start 0s --until 12m --server down.spec --plot "$to/outage.svg" \
        --backoff 'ethernet to 1 m' --backoff 'full to 1 m' --backoff 'decorrelated to 1 m' --backoff 'exact to 1 m' fetch.ftsh
    rm -f "$to/outage-done.svg"
}
busy() {
    $sim run --quiet --seeds 2 --start 20s --until 7m --server busy.spec --plot "$to/busy-offered.svg" \
        --backoff ethernet --backoff 'full to 1 m' --backoff 'fixed from 1 s' work.ftsh
    mv "$to/busy-offered-done.svg" "$to/busy.svg"
}
for picture in ${2:-outage busy}; do
    $picture
done
