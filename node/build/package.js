// Puts together what is published, in pkg: the package itself, and one for each platform whose addon is here.
//     node build/package.js [--all]     with --all it is an error where an addon is missing
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { here, json } from './paths.js'

const description = json('package.json')
const platforms = json('platforms.json')
const { version, license, repository, engines } = description

rmSync(here('pkg'), { recursive: true, force: true })
main()
const missing = platforms.filter((platform) => !ofPlatform(platform)).map(({ triple }) => triple)
if (process.argv.includes('--all') && missing.length > 0) throw new Error(`there is no addon for ${missing.join(', ')}`)

function main() {
  const { private: _, scripts, devDependencies, ...published } = description
  const optional = platforms.map(({ triple }) => [`@recask/${triple}`, version])
  const optionalDependencies = Object.fromEntries([...optional, ['recask-wasm', version]])
  write('pkg/recask', { ...published, optionalDependencies }, ['bin', 'dist', 'types', 'README.md'])
}

function ofPlatform({ triple, os, cpu, libc }) {
  const file = `recask.${triple}.node`
  if (!existsSync(here(file))) return false
  const about = {
    name: `@recask/${triple}`,
    version,
    description: `The addon of recask for ${triple}`,
    license,
    repository,
    engines,
  }
  write(`pkg/${triple}`, { ...about, os: [os], cpu: [cpu], ...(libc && { libc: [libc] }), main: file, files: [file] }, [file])
  return true
}

function write(folder, about, parts) {
  mkdirSync(here(folder), { recursive: true })
  for (const part of parts) cpSync(here(part), here(`${folder}/${part}`), { recursive: true })
  cpSync(here('../LICENSE'), here(`${folder}/LICENSE`))
  writeFileSync(here(`${folder}/package.json`), `${JSON.stringify(about, undefined, 2)}\n`)
}
