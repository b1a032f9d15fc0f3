/** Strict TypeScript over the app and the types of the package, in both ways of finding modules. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run, tool } from './folder.js'

export async function checkTypes(folder: string): Promise<void> {
  for (const [module, moduleResolution] of [['esnext', 'bundler'], ['nodenext', 'nodenext']]) {
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noPropertyAccessFromIndexSignature: true,
      skipLibCheck: false,
      target: 'es2022',
      lib: ['es2022', 'dom', 'dom.iterable'],
      types: [],
      module,
      moduleResolution,
      rootDir: 'app',
      outDir: 'built',
    }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['app/*.ts'] }))
    await run(folder, process.execPath, tool('typescript/bin/tsc'))
  }
  console.log('types: strict, with all libraries checked')
}
