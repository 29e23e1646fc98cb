import { apiContract } from "../../support/api-contract";
import { startApiDouble } from "../../support/api-double";

describe("the API double keeps the contract of a real API server", () => {
    apiContract(async () => {
        const double = await startApiDouble();
        return {
            ...double,
            async putNodes(nodes) {
                for (const metadata of nodes) double.putNode({ metadata });
            },
        };
    });
});
