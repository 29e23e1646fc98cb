export {
    type MeshMocks,
    type MeshMocksOptions,
    meshMocks,
    type RecordedNodes,
    type RegisteredResource,
} from "./mesh-mocks";
export { outputValue } from "./output-value";
