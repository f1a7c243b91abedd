@_spi(Baton) import BatonArguments
import Foundation
import Testing

@_spi(Baton) @testable import baton_cli

@Suite("Manual pages")
struct ManualPageTests {
    private static let linter = ["/usr/bin/mandoc", "/usr/local/bin/mandoc"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    @Test("A page has the parts of a command's help, and no character that its language would change")
    func page() throws {
        let pages = BatonCommand.manualPages(date: "2026-11-24")
        #expect(
            Set(pages.map(\.name)).isSuperset(of: [
                "baton", "baton-submit", "baton-queue-set", "baton-import-wfcommons",
            ])
        )
        #expect(!pages.contains { $0.name == "baton-complete" })
        let page = try #require(pages.first { $0.name == "baton-attach" })
        let lines = page.text.split(separator: "\n")
        #expect(lines[0].hasPrefix(#".TH "BATON\-ATTACH" 1 "2026-11-24" "baton "#))
        for line in [".SH NAME", ".SH SYNOPSIS", ".SH DESCRIPTION", ".SH ARGUMENTS", ".SH OPTIONS", ".SH EXAMPLES"] {
            #expect(lines.contains { $0.replacing("\"", with: "") == line }, "\(line)")
        }
        #expect(lines.contains(#"\fB\-\-from\-start\fR"#))
        #expect(page.text.contains(#"Ctrl\-\(rs"#))
        for page in pages {
            #expect(page.text.utf8.allSatisfy { $0 < 128 }, "\(page.name)")
            #expect(
                page.text.split(separator: "\n").allSatisfy { !$0.hasPrefix("'") },
                "\(page.name)"
            )
        }
    }

    @Test(
        "mandoc finds nothing to object to in any page",
        .enabled(if: linter != nil, "mandoc is not installed, so that nobody checks the manual pages")
    )
    func lint() async throws {
        let linter = try #require(Self.linter)
        try await withCluster(workers: nil) { cluster in
            let written = try await cluster.json("manual", "--directory", "pages/man1")
            let files = written.pages.elements.map(\.file.string)
            #expect(files.count > 40 && files.allSatisfy { FileManager.default.fileExists(atPath: $0) })
            let check = try cluster.start(script: "'\(linter)' -T lint pages/man1/*.1")
            #expect(try await check.end() == 0)
            #expect(check.outputText == "" && check.errorText == "")
        }
    }

    @Test("The command prints the page of a command, or of baton itself, and refuses unknown commands")
    func command() async throws {
        try await withCluster(workers: nil) { cluster in
            let root = try await cluster.baton("manual")
            #expect(
                root.status == 0 && root.output.hasPrefix(".TH \"BATON\" 1")
                    && root.output.contains(".SH \"EXIT STATUS\"")
            )
            let page = try await cluster.baton("manual", "queue", "set")
            #expect(page.status == 0 && page.output.hasPrefix(#".TH "BATON\-QUEUE\-SET" 1"#))
            #expect(try await cluster.json("manual", "queue", "set").pages.elements.first?.text == .text(page.output))
            #expect(try await cluster.baton("manual", "queue", "get").status == 66)
            #expect(try await cluster.baton("manual", "--directory", "/dev/null/x").status == 77)
            #expect(try await cluster.baton("manual", "--directory", "x", "wait").status == 64)
        }
    }
}
