// Writes the SDKs that no test runs: `go run . <schema.json> <directory>` fills <directory>/dotnet and <directory>/java.
// `npm run sdks` calls it. A module of its own: these generators do not compile with the version that ../sdks needs.
package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"

	dotnetgen "github.com/pulumi/pulumi-dotnet/pulumi-language-dotnet/v3/codegen"
	javagen "github.com/pulumi/pulumi-java/pkg/codegen/java"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

const generator = "tools/go/sdks-untested"

// What is written by hand in the SDKs: a page that says what they are, and a picture that NuGet asks for.
//
//go:embed all:overlay
var overlay embed.FS

type files = map[string][]byte

func main() {
	if len(os.Args) != 3 {
		fail(fmt.Errorf("usage: sdks-untested <schema.json> <directory>"))
	}
	spec, err := read(os.Args[1])
	fail(err)
	for language, generate := range map[string]func(*schema.Package) (files, error){
		"dotnet": dotnet,
		// Sources alone, as `pulumi package add` makes them, for any build tool.
		"java": func(pkg *schema.Package) (files, error) {
			return javagen.GeneratePackage(generator, pkg, nil, nil, true, false)
		},
	} {
		// Bound again for each language: a generator changes the package that it is given.
		pkg, problems, err := schema.BindSpec(spec, nil, schema.ValidationOptions{})
		fail(err)
		if problems.HasErrors() {
			fail(problems)
		}
		generated, err := generate(pkg)
		fail(err)
		fail(add(generated, path.Join("overlay", language)))
		fail(write(filepath.Join(os.Args[2], language), generated))
	}
}

// The generator downloads a logo, by default Pulumi's; it gets ours, without a network.
func dotnet(pkg *schema.Package) (files, error) {
	server := httptest.NewServer(http.FileServerFS(overlay))
	defer server.Close()
	pkg.LogoURL = server.URL + "/overlay/dotnet/logo.png"
	// Without one it names Pulumi as the author.
	pkg.Publisher = "pulumi-" + pkg.Name
	return dotnetgen.GeneratePackage(generator, pkg, nil, nil)
}

func add(generated files, directory string) error {
	return fs.WalkDir(overlay, directory, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := overlay.ReadFile(name)
		generated[strings.TrimPrefix(name, directory+"/")] = text
		return err
	})
}

func read(file string) (spec schema.PackageSpec, err error) {
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, &spec)
	}
	return spec, err
}

func write(directory string, generated files) error {
	for name, content := range generated {
		file := filepath.Join(directory, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, content, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
