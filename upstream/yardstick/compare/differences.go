package main

// differences are why a test comes to another result for our cache than for upstream's.
var differences = map[string]string{}
