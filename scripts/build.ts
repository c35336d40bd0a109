// `npm run build`: the content of the package in dist/: JavaScript and declarations from TypeScript, and the files beside them.

import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { billOfMaterials } from './sbom.ts'

const root = join(import.meta.dirname, '..')
const target = join(root, 'dist')

rmSync(target, { recursive: true, force: true })
execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
})

// The compiler rewrites the names of imported files in JavaScript only.
const specifier = /((?:\bfrom|\bimport|\bmodule|\bimport\() ?["'])(\.{1,2}\/[^"']+)\.ts(["'])/g
for (const file of globSync('**/*.d.ts', { cwd: target })) {
  const path = join(target, file)
  // The doors of the package use Node's types.
  const head = file.startsWith('sdk/') ? '/// <reference types="node" />\n' : ''
  writeFileSync(path, head + readFileSync(path, 'utf8').replace(specifier, '$1$2.js$3'))
}

for (const file of globSync(['{core,plugins}/**/*.sql', 'plugins/*/*.html', 'bin/*.js'], { cwd: root })) {
  copyFileSync(join(root, file), join(target, file))
}

// Pages that are made of npm packages: a plugin that has one has a `bundle.ts`, and serves the files by `assets.ts`.
for (const file of globSync('plugins/*/bundle.ts', { cwd: root })) {
  const area = dirname(file)
  const [{ bundle }, { writeAssets }] = await Promise.all([
    import(join(root, file)),
    import(join(root, area, 'assets.ts')),
  ])
  await writeAssets(await bundle(), join(target, area, 'assets'))
}
writeFileSync(join(target, 'sbom.cdx.json'), billOfMaterials())
chmodSync(join(target, 'bin/start.js'), 0o755)
