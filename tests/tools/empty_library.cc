// SPDX-License-Identifier: Apache-2.0
// A library that does nothing when it is loaded: run_test.py names it libtriode.so, to see what
// `triode run` itself does.
