import { parse } from "yaml";

/** The token in a kubeconfig of one of our local clusters. */
export function tokenIn(kubeconfig: string): string {
    const { users } = parse(kubeconfig) as { users: { user: { token: string } }[] };
    return users[0]!.user.token;
}
