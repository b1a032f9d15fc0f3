/** The package as users get it: packed, installed, in Node.js and Deno, built by Vite and webpack, and straight from a static server. */

import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'vite'
import { Browser } from '../browser/chromium.js'
import type { Report } from './app/work.js'
import { installed, run, tool } from './folder.js'
import { ISOLATED, Site } from './site.js'
import { checkTypes } from './types.js'
import { builtByWebpack } from './webpack.js'

/** A page of the app. */
interface Page {
  inPage(): Promise<Report | string>
  inWorker(): Promise<Report | string>
}

const SUM = Array.from({ length: 64 * 64 * 200 }, (_, i) => i % 251).reduce((all, value) => all + value, 0)

function check(report: Report | string): Report {
  assert.ok(typeof report === 'object', String(report))
  assert.equal(report.sum, SUM)
  assert.equal(report.steps.length, 2)
  assert.match(report.version, /^\d+\.\d+\.\d+/)
  assert.equal(report.code, 'shape_mismatch')
  return report
}

async function inNode(folder: string): Promise<Report> {
  await writeFile(join(folder, 'node.js'), "import { work } from './built/work.js'\nconsole.log(JSON.stringify(await work()))\n")
  const report = check(JSON.parse(await run(folder, process.execPath, 'node.js')) as Report)
  assert.equal(report.threads, 1)
  console.log('Node.js: works')
  return report
}

async function inDeno(folder: string, wanted: Report): Promise<void> {
  await writeFile(join(folder, 'deno.js'), "import { work } from './built/work.js'\nconsole.log(JSON.stringify(await work()))\n")
  // Nothing but the folder: neither the network nor the environment.
  const flags = ['run', '--quiet', '--no-lock', '--no-prompt', '--node-modules-dir=manual', '--allow-read=.', 'deno.js']
  const report = check(JSON.parse(await run(folder, tool('.bin/deno'), ...flags)) as Report)
  assert.deepEqual(report.steps, wanted.steps)
  console.log(`Deno: works, ${report.threads} thread${report.threads === 1 ? '' : 's'}`)
}

/** One page, with and without isolation. */
async function inBrowser(browser: Browser, name: string, folder: string, path: string, wanted: Report): Promise<void> {
  for (const isIsolated of [false, true]) {
    const site = await Site.start(folder, isIsolated ? ISOLATED : {})
    try {
      const page = await browser.open(site.address + path)
      site.modules()
      const inPage = check(await page.evaluate(() => (globalThis as unknown as Page).inPage()))
      const single = site.modules()
      assert.deepEqual([inPage.threads, inPage.steps, single.length], [1, wanted.steps, 1])
      assert.match(inPage.reason, isIsolated ? /main thread/ : /Cross-Origin-Embedder-Policy/)
      const inWorker = check(await page.evaluate(() => (globalThis as unknown as Page).inWorker()))
      const modules = site.modules()
      assert.deepEqual(inWorker.steps, wanted.steps)
      const processors = await page.evaluate(() => navigator.hardwareConcurrency)
      if (isIsolated && processors > 1) {
        assert.equal(inWorker.threads, Math.min(processors, 16))
        assert.ok(modules.length === 1 && modules[0] !== single[0], `${modules}`)
      } else {
        assert.equal(inWorker.threads, 1)
      }
      assert.deepEqual(browser.complaintsOf(page), [])
      console.log(`${name}, ${isIsolated ? 'isolated' : 'not isolated'}: page ${inPage.threads}, worker ${inWorker.threads} threads`)
      await page.close()
    } finally {
      await site.close()
    }
  }
}

/** A policy that forbids WebAssembly is named. */
async function underPolicy(browser: Browser, folder: string): Promise<void> {
  for (const [policy, works] of [["script-src 'self'", false], ["script-src 'self' 'wasm-unsafe-eval'", true]] as const) {
    const site = await Site.start(folder, { 'Content-Security-Policy': policy })
    try {
      const page = await browser.open(site.address)
      const report = await page.evaluate(() => (globalThis as unknown as Page).inPage())
      if (works) check(report)
      else assert.match(String(report), /'wasm-unsafe-eval'/)
      await page.close()
    } finally {
      await site.close()
    }
  }
  console.log('Content-Security-Policy: named')
}

const PLAIN = '<!doctype html><meta charset="utf-8"><title>Recask</title><script type="module" src="./built/page.js"></script>'

/** The compiled app for a server without a bundler. */
async function inPlace(folder: string, file: string): Promise<void> {
  const path = join(folder, 'built', `${file}.js`)
  const text = await readFile(path, 'utf8')
  await writeFile(path, text.replace("'recask-wasm'", "'../node_modules/recask-wasm/index.js'").replace('./worker.ts', './worker.js'))
}

const folder = await installed()
const browser = await Browser.start()
try {
  await checkTypes(folder)
  const wanted = await inNode(folder)
  await inDeno(folder, wanted)
  const dist = join(folder, 'dist')
  await build({ root: join(folder, 'app'), logLevel: 'warn', worker: { format: 'es' }, build: { outDir: dist, emptyOutDir: true, target: 'es2022' } })
  await inBrowser(browser, 'Vite', dist, '', wanted)
  await underPolicy(browser, dist)
  await inBrowser(browser, 'webpack', await builtByWebpack(folder), '', wanted)
  // Workers know no import maps: without a bundler the package is imported by its address.
  await writeFile(join(folder, 'plain.html'), PLAIN)
  for (const file of ['work', 'worker', 'page']) await inPlace(folder, file)
  await inBrowser(browser, 'static server', folder, 'plain.html', wanted)
} finally {
  await browser.close()
  await rm(folder, { recursive: true, force: true })
}
