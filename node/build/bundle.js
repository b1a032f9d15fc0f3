// Makes dist and types: one file of JavaScript that `require` and `import` share, and one of types for each of the two.
//     node build/bundle.js [--check]     with --check it only looks whether the types that are here are those of the sources
import { createRequire } from 'node:module'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { rolldown } from 'rolldown'
import { dts } from 'rolldown-plugin-dts'
import { here } from './paths.js'

async function bundle(input, options, output) {
  const build = await rolldown({ input: { index: here(input) }, external: [/^node:/, 'recask-wasm'], ...options })
  const { output: chunks } = await build.write(output)
  await build.close()
  return chunks
}

/** Everything is in the CommonJS file: classes and errors are the same however the package was loaded. */
async function javascript() {
  await rm(here('dist'), { recursive: true, force: true })
  const options = { dir: here('dist'), format: 'cjs', entryFileNames: '[name].cjs', exports: 'named', minify: false }
  const [chunk] = await bundle('ts/index.ts', { platform: 'node', tsconfig: here('tsconfig.json') }, options)
  await licenses(chunk.moduleIds)
  const names = Object.keys(createRequire(import.meta.url)(here('dist/index.cjs'))).sort()
  const list = names.map((name) => `  ${name},\n`).join('')
  await writeFile(here('dist/index.js'), `import all from './index.cjs'\n\nexport const {\n${list}} = all\n`)
}

/** The licenses of what is in the bundle and not ours. */
async function licenses(modules) {
  const folders = new Set(
    modules.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id.replaceAll('\\', '/'))?.[0] ?? []),
  )
  const texts = []
  for (const folder of [...folders].sort()) {
    const { name, version } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'))
    texts.push(`${name} ${version}\n\n${(await readFile(`${folder}/LICENSE`, 'utf8')).trim()}\n`)
  }
  await writeFile(here('dist/LICENSES.txt'), texts.join('\n\n'))
}

async function types() {
  const plugins = [dts({ dtsInput: true, generator: 'oxc', tsconfig: false })]
  await bundle('target/types/node/ts/index.d.ts', { plugins }, { dir: here('target/types/bundle'), format: 'es' })
  const text = await readFile(here('target/types/bundle/index.d.ts'), 'utf8')
  // Below the first import they mean nothing.
  const references = text.match(/^\/\/\/ <reference .*\n/gm) ?? []
  const rest = references.reduce((all, reference) => all.replace(reference, ''), text)
  return `${references.join('')}${rest.trimEnd()}\n`
}

const TYPES = ['types/index.d.ts', 'types/index.d.cts']
const text = await types()
if (process.argv.includes('--check')) {
  for (const name of TYPES) {
    const there = await readFile(here(name), 'utf8').catch(() => '')
    if (there !== text) throw new Error(`${name} is not what the sources say: npm run build makes it anew`)
  }
} else {
  await javascript()
  await mkdir(here('types'), { recursive: true })
  for (const name of TYPES) await writeFile(here(name), text)
}
