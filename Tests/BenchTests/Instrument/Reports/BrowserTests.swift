import Foundation
import RunRecords
import TestSupport
import Testing

/// Opens reports in a real browser if Chromium is installed.
@Suite(.serialized) struct `report.html in Chromium` {
    private static let chromium = ["chromium", "chromium-browser", "google-chrome"].flatMap {
        name in
        ["/usr/bin", "/usr/local/bin", "/snap/bin"].map { "\($0)/\(name)" }
    }.first { FileManager.default.isExecutableFile(atPath: $0) }

    private let folder = TemporaryFolder()

    @Test(
        .enabled(if: chromium != nil, "Chromium is not installed: apt-get install chromium"),
        arguments: ["light", "dark"])
    func `opens without an error or a request, and paints its colours`(scheme: String) throws {
        let directory = RunDirectory(url: folder.url)
        try directory.writeReports(of: SampleRun.full)
        let picture = folder.url("\(scheme).png")
        let netLog = folder.url("net.json")

        let browser = Process()
        browser.executableURL = URL(fileURLWithPath: Self.chromium!)
        browser.arguments = [
            "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
            "--hide-scrollbars", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--user-data-dir=\(folder.path("profile"))",
            "--blink-settings=preferredColorScheme=\(scheme == "dark" ? 0 : 1)",
            "--window-size=900,1200", "--enable-logging=stderr", "--log-level=0",
            "--log-net-log=\(netLog.path)", "--screenshot=\(picture.path)",
            directory.reportURL.absoluteString,
        ]
        let log = folder.url("log.txt")
        try Data().write(to: log)
        browser.standardError = try FileHandle(forWritingTo: log)
        browser.standardOutput = FileHandle.nullDevice
        try browser.run()
        browser.waitUntilExit()

        #expect(browser.terminationStatus == 0)
        let messages = try String(contentsOf: log, encoding: .utf8)
        // The console reports failed scripts, and loads that the page's own policy blocked.
        #expect(!messages.contains("CONSOLE"), "\(messages)")
        let requests = try String(contentsOf: netLog, encoding: .utf8)
        #expect(!requests.contains("\"initiator\":\"file://"))
        #expect(try Data(contentsOf: picture).count > 20_000)
    }
}
