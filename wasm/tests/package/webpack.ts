/** The app built by webpack, which understands `new URL('…', import.meta.url)` as bundlers do. */

import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import webpack from 'webpack'

const HTML = '<!doctype html><meta charset="utf-8"><title>Recask</title><script src="page.js"></script>'

/** Builds from the compiled sources in `folder/built`; answers where the result is. */
export async function builtByWebpack(folder: string): Promise<string> {
  const [sources, output] = [join(folder, 'webpack'), join(folder, 'packed')]
  await cp(join(folder, 'built'), sources, { recursive: true })
  const page = join(sources, 'page.js')
  await writeFile(page, (await readFile(page, 'utf8')).replace('./worker.ts', './worker.js'))
  const compiler = webpack({
    mode: 'production',
    context: sources,
    entry: { page: './page.js' },
    output: { path: output, filename: '[name].js' },
    performance: { hints: false },
  })
  const stats = await new Promise<webpack.Stats | undefined>((resolve, reject) => {
    compiler?.run((error, stats) => (error ? reject(error) : resolve(stats)))
  })
  await new Promise<void>((resolve) => compiler?.close(() => resolve()))
  if (!stats || stats.hasErrors() || stats.hasWarnings()) {
    throw new Error(`webpack: ${stats?.toString({ all: false, errors: true, warnings: true })}`)
  }
  await writeFile(join(output, 'index.html'), HTML)
  return output
}
