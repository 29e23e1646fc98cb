import { claimOfId, memberId } from "../../../provider/state/member-id";

test("the id of a member ends in its claim, which previews read from it", () => {
    expect(memberId("edge", "hub", "c-1")).toBe("edge/hub/c-1");
    expect(claimOfId(memberId("edge", "hub", "c-1"))).toBe("c-1");
});

test.each(["edge/hub", "edge/hub/", ""])("an id without a claim, as 0.1.0 made them, has none: %j", (id) => {
    expect(claimOfId(id)).toBeUndefined();
});
