//! Every generated name: IR keys, xDS resource names, infrastructure names and hashes.
