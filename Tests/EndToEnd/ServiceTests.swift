import Foundation
import Testing

@_spi(Baton) @testable import baton_cli

@Suite("Units for systemd")
struct ServiceTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The program of systemd that checks units.
    private static let analyzer = ["/usr/bin/systemd-analyze", "/bin/systemd-analyze"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    @Test("The units of the package are those of the command", arguments: ServiceUnit.Role.allCases)
    func package(_ role: ServiceUnit.Role) throws {
        let unit = ServiceUnit(role: role, program: "/usr/bin/baton")
        let file = Self.root.appending(path: "docker/systemd/\(unit.name).service")
        #expect(try String(contentsOf: file, encoding: .utf8) == unit.text)
    }

    @Test("Paths and arguments keep their characters in a unit")
    func words() {
        let unit = ServiceUnit(
            role: .worker,
            program: "/opt/my programs/baton",
            isOfUser: true,
            home: "/srv/50% \"x\"",
            arguments: ["--label", "a=$HOME", "--name", "it's", "--slots", "2"]
        )
        let lines = unit.text.split(separator: "\n")
        #expect(lines.contains(#"Environment="BATON_HOME=/srv/50%% \"x\"""#))
        #expect(
            lines.contains(#"ExecStart="/opt/my programs/baton" worker --label a=$$HOME --name "it's" --slots 2"#)
        )
    }

    @Test("A unit can have only options of its command")
    func refused() async throws {
        try await withCluster(workers: nil) { cluster in
            let unknown = try await cluster.baton("service", "worker", "--", "--listen", "tcp://*:7461")
            #expect(unknown.status == 64 && unknown.errors.contains("Unknown option '--listen'"), "\(unknown)")
            let control = try await cluster.baton("service", "worker", "--", "--label", "a=\u{1}b")
            #expect(control.status == 64 && control.output == "", "\(control)")
        }
    }

    @Test(
        "systemd finds no fault in the units",
        .enabled(if: analyzer != nil, "systemd-analyze is not installed, so that nobody checks the units"),
        arguments: ServiceUnit.Role.allCases,
        [[], ["--user"], ["--home", "/srv/a b"], ["--user", "--home", "/srv/50%", "--coordinator", "tcp://[::1]:1"]]
    )
    func verified(_ role: ServiceUnit.Role, _ options: [String]) async throws {
        let analyzer = try #require(Self.analyzer)
        try await withCluster(workers: nil) { cluster in
            let arguments = ["service", role.rawValue] + options
            let printed = try await cluster.baton(arguments)
            #expect(printed.status == 0 && printed.errors.contains("enable --now baton-\(role)"), "\(printed)")
            let path = try cluster.write(printed.output, to: "baton-\(role).service")
            let manager = options.contains("--user") ? "--user" : "--system"
            let verification = try cluster.start(
                script: "XDG_RUNTIME_DIR=\"$BATON_HOME\" \(analyzer) \(manager) verify --man=no '\(path)'"
            )
            #expect(try await verification.end() == 0)
            #expect(verification.errorText == "" && verification.outputText == "")
            let document = try await cluster.baton(arguments + ["--json"])
            let unit = try JSONValue(parsing: document.output)
            #expect(unit.text == .text(printed.output) && unit.unit == .text("baton-\(role).service"))
        }
    }
}
