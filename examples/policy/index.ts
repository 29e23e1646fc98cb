import { PolicyPack } from "@pulumi/policy";
import { adoption, networks } from "./policies";

new PolicyPack("kilo-clustermesh", { policies: [networks, adoption] });
