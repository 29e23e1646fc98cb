// Writes the SDKs of the languages that are generated: `go run . <schema.json> <directory>` fills <directory>/python and
// <directory>/go. `npm run sdks` calls it.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	gogen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	pythongen "github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

const generator = "tools/go/sdks"

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
		fail(write(filepath.Join(os.Args[2], language), generated))
	}
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
