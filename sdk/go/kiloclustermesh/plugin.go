package kiloclustermesh

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed pulumi-plugin.json
var plugin []byte

// Says what to run where the plugin is missing: the engine names a command that does not find it.
func init() {
	var wanted struct{ Name, Version, Server string }
	// With an address the engine downloads it; without an engine, in tests with mocks, nobody needs it.
	if json.Unmarshal(plugin, &wanted) != nil || wanted.Server != "" || os.Getenv("PULUMI_ENGINE") == "" {
		return
	}
	if isMissing(wanted.Name, wanted.Version) {
		fmt.Fprintf(os.Stderr, "warning: the plugin %[1]s %[2]s is neither installed nor on PATH. If it cannot be loaded, run: "+
			"npx --package pulumi-%[1]s@%[2]s %[1]s plugin install\n", wanted.Name, wanted.Version)
	}
}

func isMissing(name, version string) bool {
	home := os.Getenv("PULUMI_HOME")
	if home == "" {
		user, err := os.UserHomeDir()
		if err != nil {
			return false
		}
		home = filepath.Join(user, ".pulumi")
	}
	if _, err := os.Stat(filepath.Join(home, "plugins", "resource-"+name+"-v"+version)); err == nil {
		return false
	}
	_, err := exec.LookPath("pulumi-resource-" + name)
	return err != nil
}
