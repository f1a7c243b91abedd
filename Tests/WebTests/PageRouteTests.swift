@_spi(Baton) import BatonKeys
import Foundation
import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("The page for people", .timeLimit(.minutes(60)))
struct PageRouteTests {
    private let web: TestInterface

    init() throws {
        web = try TestInterface(
            PreparedCluster { _ in
                Issue.record("the page asks the coordinator")
                return nil
            }
        )
    }

    private static let addresses = [
        "/", "/jobs", "/jobs/12", "/jobs/x", "/operations/12/3", "/operations/12/se%20pia", "/workers", "/workers/w1",
        "/queues", "/queues/gpu", "/search?q=a&x=1&q=b", "/jobs?anything=1", "/jobs/12?view=graph&view=graph",
    ]

    @Test("Each address of the page answers with the same shell under the strict policy", arguments: addresses)
    func shell(address: String) async throws {
        let answer = try await web.ask("GET", address)
        #expect(answer.status == 200 && answer.headers["Content-Type"] == "text/html; charset=utf-8")
        #expect(answer.headers["Cache-Control"] == "no-cache")
        #expect(try await answer.text == web.ask("GET", "/").text)
        let policy = try #require(answer.headers["Content-Security-Policy"])
        for part in [
            "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
            "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
            "trusted-types 'none'",
        ] {
            #expect(
                policy.split(separator: ";").contains { $0.trimmingCharacters(in: .whitespaces) == part },
                "\(part)"
            )
        }
        #expect(try await web.ask("POST", address, "{}").status == 405)
        #expect(try await web.ask("HEAD", address).status == 200)
    }

    @Test(
        "Other addresses are 404",
        arguments: [
            "/job", "/jobs/", "/jobs/12/3", "/operations/12", "/index.html", "/assets", "/assets/", "/assets/none.js",
            "/assets/index.html", "/assets/../Package.swift", "/assets/%2e%2e", "/favicon.ico",
        ]
    )
    func others(address: String) async throws {
        #expect(try await web.ask("GET", address).status == 404)
    }

    @Test("The page needs no token, but a name of the server: it has nothing of the cluster")
    func admission() async throws {
        let registry = TokenRegistry(nil, localFile: LocalTokenFile(home: web.home.path))
        let access = RequestGuard(HostNames(boundTo: "127.0.0.1", port: 7462), registry, isInsecure: false)
        let interface = WebInterface(access, PreparedCluster { _ in nil }, version: "test")
        func status(_ target: String, host: String) async throws -> Int {
            let peer = HTTPPeer(address: "127.0.0.1")
            let head = try HTTPRequestHead(method: "GET", target: target, headers: ["Host": host], peer: peer)
            if let refusal = interface.refusal(of: head) { return refusal.status }
            return await interface.respond(to: HTTPRequest(head: head, body: [], mostStreams: 1)).status
        }
        for target in ["/", "/jobs/12", "/assets/page.css"] {
            #expect(try await status(target, host: "127.0.0.1:7462") == 200)
            #expect(try await status(target, host: "evil.example:7462") == 421, "a name that was turned to this host")
        }
        #expect(try await status("/api/v1/status", host: "127.0.0.1:7462") == 401)
    }

    @Test("A browser that has the newest version of a file gets no copy of it", arguments: ["/", "/assets/main.js"])
    func versions(address: String) async throws {
        let first = try await web.ask("GET", address)
        let tag = try #require(first.headers["ETag"])
        for known in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
            let answer = try await web.ask("GET", address, headers: ["If-None-Match": known])
            #expect(answer.status == 304 && answer.text.isEmpty && answer.headers["ETag"] == tag, "\(known)")
        }
        for unknown in ["\"other\"", String(tag.dropLast()), ""] {
            #expect(try await web.ask("GET", address, headers: ["If-None-Match": unknown]).status == 200, "\(unknown)")
        }
        #expect(try await web.ask("GET", "/assets/page.css").headers["ETag"] != tag)
    }

    @Test("All files together, and each as a browser has to get it")
    func files() async throws {
        let assets = PageAsset.all
        #expect(assets.reduce(0) { $0 + $1.bytes.count } <= 150_000, "the budget of all files")
        #expect(Set(assets.map(\.name)).count == assets.count && Set(assets.map(\.tag)).count == assets.count)
        for asset in assets where asset.name != "index.html" {
            let answer = try await web.ask("GET", "/assets/\(asset.name)")
            let type =
                switch asset.name.split(separator: ".").last {
                case "js": "text/javascript; charset=utf-8"
                case "css": "text/css; charset=utf-8"
                default: "image/svg+xml"
                }
            #expect(answer.status == 200 && answer.headers["Content-Type"] == type, "\(asset.name)")
            #expect(Array(answer.text.utf8) == asset.bytes && !asset.bytes.isEmpty, "\(asset.name)")
        }
    }

    @Test("The files that the page has are those of the directory")
    func directory() throws {
        let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Sources/Web/Assets")
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(Set(names.filter { !$0.hasPrefix(".") }) == Set(PageAsset.all.map(\.name)))
        for asset in PageAsset.all {
            let source = try Data(contentsOf: directory.appending(path: asset.name))
            #expect(PageAsset(name: asset.name, source: Array(source)).bytes == asset.bytes, "\(asset.name)")
        }
    }

    @Test("The files name only files of the page, and nothing that the policy forbids")
    func references() throws {
        let assets = PageAsset.all
        let names = Set(assets.map(\.name))
        for asset in assets {
            let text = String(decoding: asset.bytes, as: UTF8.self)
            for reference in text.matches(of: /(?:"\.\/|"\/assets\/)([\w.]+)"/) {
                #expect(names.contains(String(reference.1)), "\(asset.name) names \(reference.1)")
            }
            // Addresses with a scheme are names of languages alone.
            for address in text.matches(of: /https?:\/\/[\w.\/]+/) where !address.0.contains("www.w3.org/") {
                Issue.record("\(asset.name) has the address \(address.0)")
            }
            for word in [
                "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "setAttribute(\"style",
            ] {
                #expect(!text.contains(word), "\(asset.name) has \(word)")
            }
        }
        let shell = try #require(assets.first { $0.name == "index.html" })
        let text = String(decoding: shell.bytes, as: UTF8.self)
        #expect(!text.contains(/\son\w+=|\sstyle=|<style|<script(?![^>]*\ssrc=)/), "something inline")
    }
}
