import { BinaryReader } from "google-protobuf";
import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { useFastText } from "../../../provider/hosts/plugin/fast-text";

const VALUES = {
    empty: "",
    short: "ü",
    text: "node-1 pods=10.2.1.0/24 key=0123456789\n".repeat(500),
    foreign: "Ünïcödé 漢字 🚀 ".repeat(500),
    nested: { list: ["a".repeat(63), "b".repeat(64), "c".repeat(65)], number: 1, flag: true, nothing: null },
};

test("texts of every length and alphabet are the same on the wire as the library writes them, and are read alike", () => {
    const slow = Struct.fromJavaScript(VALUES).serializeBinary();
    const slowRead = BinaryReader.prototype.readString;
    expect(Struct.deserializeBinary(slow).toJavaScript()).toEqual(VALUES);

    useFastText();

    expect(BinaryReader.prototype.readString).not.toBe(slowRead);
    expect(Buffer.from(Struct.fromJavaScript(VALUES).serializeBinary()).equals(Buffer.from(slow))).toBe(true);
    expect(Struct.deserializeBinary(slow).toJavaScript()).toEqual(VALUES);
});
