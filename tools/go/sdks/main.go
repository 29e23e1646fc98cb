// Writes the SDKs of the languages that are generated: `go run . <schema.json> <directory>` fills <directory>/python and
// <directory>/go. `npm run sdks` calls it.
package main

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	gogen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	pythongen "github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

const generator = "tools/go/sdks"

// What is written by hand in the SDKs: a check for the plugin.
//
//go:embed all:overlay
var overlay embed.FS

type files = map[string][]byte

func main() {
	if len(os.Args) != 3 {
		fail(fmt.Errorf("usage: sdks <schema.json> <directory>"))
	}
	spec, err := read(os.Args[1])
	fail(err)
	for language, generate := range map[string]func(*schema.Package) (files, error){
		"python": func(pkg *schema.Package) (files, error) {
			return pythongen.GeneratePackage(generator, pkg, nil, nil)
		},
		"go": func(pkg *schema.Package) (files, error) { return gogen.GeneratePackage(generator, pkg, nil) },
	} {
		// Bound again for each language: a generator changes the package that it is given.
		pkg, err := bind(spec)
		fail(err)
		generated, err := generate(pkg)
		fail(err)
		fail(add(generated, path.Join("overlay", language)))
		fail(write(filepath.Join(os.Args[2], language), generated))
	}
}

// Python imports a module only where it is told to; Go compiles every file.
const pythonInit, pythonImport = "pulumi_kilo_clustermesh/__init__.py", "from . import _plugin\n"

func add(generated files, directory string) error {
	if text, isPython := generated[pythonInit]; isPython {
		generated[pythonInit] = append(text, pythonImport...)
	}
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

func bind(spec schema.PackageSpec) (*schema.Package, error) {
	pkg, problems, err := schema.BindSpec(spec, schema.NewNullLoader(), schema.ValidationOptions{})
	if err == nil && problems.HasErrors() {
		err = problems
	}
	return pkg, err
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
