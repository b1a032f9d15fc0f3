/** A headless Chromium, and pages in it whose complaints are kept. */

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { type BrowserContext, chromium, type Page } from 'playwright-core'

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--js-flags=--expose-gc',
  // `measureUserAgentSpecificMemory` then answers at once.
  '--enable-blink-features=ForceEagerMeasureMemory',
]

/** What the browser writes of every answer that is not a success: a file that is not there is no fault. */
const STATUS = /^Failed to load resource: /

/** In milliseconds, for opening a page, for picking a folder and for closing. */
const PATIENCE = 120_000

export class Browser {
  readonly #context: BrowserContext
  readonly #profile: string
  readonly #complaints = new Map<Page, string[]>()

  private constructor(context: BrowserContext, profile: string) {
    this.#context = context
    this.#profile = profile
  }

  /** Starts the browser that `RECASK_CHROMIUM` names, with a profile of its own. */
  static async start(): Promise<Browser> {
    const profile = await mkdtemp(join(tmpdir(), 'recask-chromium-'))
    const executablePath = process.env['RECASK_CHROMIUM'] ?? '/usr/bin/chromium'
    const context = await chromium.launchPersistentContext(profile, {
      executablePath,
      headless: true,
      args: FLAGS,
      // Whoever ends the program ends the browser with it, at once.
      handleSIGINT: false,
      handleSIGTERM: false,
    })
    return new Browser(context, profile)
  }

  /**
   * Opens a page, with a folder picked in its input if one is given. What the page or its workers write to the console as an
   * error, or fail to catch, is a complaint. Only the page in front, the one opened last, hears of what is picked.
   */
  async open(address: string, folder?: string): Promise<Page> {
    const page = await this.#context.newPage()
    page.setDefaultTimeout(PATIENCE)
    const complaints: string[] = []
    this.#complaints.set(page, complaints)
    page.on('pageerror', (error) => complaints.push(error.stack ?? error.message))
    page.on('crash', () => complaints.push('the page crashed'))
    page.on('console', (message) => {
      const isComplaint = ['error', 'warning'].includes(message.type()) && !STATUS.test(message.text())
      if (isComplaint) {
        complaints.push(`${message.text()} (${message.location().url})`)
      }
    })
    await page.goto(address)
    if (folder !== undefined) {
      await page.setInputFiles('input', folder)
    }
    return page
  }

  /** What a page and its workers complained of. */
  complaintsOf(page: Page): readonly string[] {
    return this.#complaints.get(page) ?? []
  }

  async close(): Promise<void> {
    await this.#context.close()
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 5 })
  }
}
