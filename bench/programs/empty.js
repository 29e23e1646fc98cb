// What any program of this runtime costs: the SDK is loaded and nothing is done with it.
require("@pulumi/pulumi");
