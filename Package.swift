// swift-tools-version: 6.0

import PackageDescription

/// The tests that are built, from the variable `BATON_TESTS`: names of modules ("Scheduler,Wire"), or "all"; nil for other builds.
///
/// A selection leaves out each target that its tests do not need. `scripts/test` sets the variable.
let selectedTests = Context.environment["BATON_TESTS"].flatMap { $0.isEmpty ? nil : $0 }?
    .split(separator: ",").map(String.init)

/// The settings of all modules.
///
/// A build of tests has the lines of backtraces, and no further debug information, which takes time. The flag counts as unsafe. Dependent
/// packages never see the flag, because only `scripts/test` sets `BATON_TESTS`.
let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
    ] + (selectedTests == nil ? [] : [.unsafeFlags(["-gline-tables-only"])])

/// The settings of a module.
///
/// In a build of tests the modules that take most of the time of the tests and of the simulation are optimized, file by file. The
/// optimization of any other module would take longer than it saves.
func moduleSettings(_ module: String) -> [SwiftSetting] {
    let hotModules = ["Coordinator", "JSON", "Operations", "Scheduler", "Store"]
    return settings + (selectedTests != nil && hotModules.contains(module) ? [.unsafeFlags(["-O"])] : [])
}

/// The commit of a packaged build, which `--version` tells, from the variable `BATON_COMMIT`; nil for other builds.
let commit = Context.environment["BATON_COMMIT"].flatMap { $0.isEmpty ? nil : $0 }
precondition(
    commit.map { $0.count <= 40 && $0.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) } } ?? true,
    "BATON_COMMIT has to be the hexadecimal digits of a commit."
)

/// A Swift module in `Sources/<name>`.
///
/// Its own name begins with "Baton": a program cannot depend on two packages that have a target of one name, and other packages
/// have a `Logging` too.
///
/// - Parameter excluded: what of the directory is no Swift, and part of another target.
func module(_ name: String, _ dependencies: [Target.Dependency] = [], excluded: [String] = []) -> Target {
    .target(
        name: "Baton" + name,
        dependencies: dependencies,
        path: "Sources/" + name,
        exclude: excluded,
        swiftSettings: moduleSettings(name)
    )
}

/// The tests of one module, in `Tests/<name>Tests`.
func tests(of name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: name + "Tests",
        dependencies: [.target(name: "Baton" + name)] + dependencies,
        swiftSettings: settings
    )
}

/// What the tests of several modules need, in `Tests/Support/<name>`.
func support(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(
        name: "BatonTest" + name,
        dependencies: dependencies,
        path: "Tests/Support/" + name,
        swiftSettings: settings
    )
}

/// A program in `Tests/Examples/<name>`.
func example(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .executableTarget(
        name: name,
        dependencies: dependencies,
        path: "Tests/Examples/" + name,
        swiftSettings: settings
    )
}

/// A C library of the system.
///
/// Linux finds the headers and libraries of its packages without pkg-config, whose flags for libzmq name directories of
/// libraries that libzmq uses itself, in a form that the package manager refuses.
func library(_ name: String, pkgConfig: String, apt: String, brew: String) -> Target {
    #if os(Linux)
        let pkgConfig: String? = nil
    #endif
    return .systemLibrary(
        name: "CBaton" + name,
        path: "Sources/C" + name,
        pkgConfig: pkgConfig,
        providers: [.apt([apt]), .brew([brew])]
    )
}

let package = Package(
    name: "baton",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "baton", targets: ["baton-cli"]),
        .executable(name: "baton-line", targets: ["baton-line"]),
        .library(name: "Baton", targets: ["Baton"]),
        .library(name: "BatonTestKit", targets: ["BatonTestKit"]),
    ],
    targets: [
        // C: two system libraries, the launching of processes, names and tasks of threads, digests, a disk in memory, two libraries that
        // are loaded when they are needed, the files of the page, and the commit of the build.
        library("ZeroMQ", pkgConfig: "libzmq", apt: "libzmq3-dev", brew: "zeromq"),
        library("SQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev", brew: "sqlite"),
        .target(name: "CBatonSpawn", path: "Sources/CSpawn"),
        .target(name: "CBatonThreads", path: "Sources/CThreads"),
        // The line of make below with-job, and a program that is nothing else.
        .target(name: "CBatonLine", path: "Sources/CLine"),
        //
        // make starts this program for each line. Loading the Swift library would take longer than the rest of the program, so that on
        // Linux the program is linked without the Swift library, and without any shared library. The flags count as unsafe, and dependent
        // packages never see unsafe flags.
        .executableTarget(
            name: "baton-line",
            dependencies: ["CBatonLine"],
            linkerSettings: [
                .unsafeFlags(
                    ["-static-executable", "-nostartfiles"],
                    .when(platforms: [.linux], configuration: .release)
                )
            ]
        ),
        // SHA-256, with the SHA instructions of the processor.
        .target(name: "CBatonDigest", path: "Sources/CDigest"),
        // A disk of SQLite in memory, which tests and the simulation break.
        .target(name: "CBatonMemoryDisk", dependencies: ["CBatonSQLite"], path: "Sources/CMemoryDisk"),
        // Loads its library at run time, and needs no more of it than the header here.
        .target(name: "CBatonMicroHTTPD", path: "Sources/CMicroHTTPD"),
        // Loads libpq when a record lies on PostgreSQL, and needs no header of it.
        .target(name: "CBatonPostgreSQL", path: "Sources/CPostgreSQL"),
        // The files of the page, which are in Sources/Web/Assets.
        .target(name: "CBatonAssets", path: "Sources/CAssets"),
        .target(
            name: "CBatonBuild",
            path: "Sources/CBuild",
            cSettings: commit.map { [.define("BATON_COMMIT", to: "\"\($0)\"")] } ?? []
        ),

        // Leaves: they know nothing of Baton.
        module("Threads", ["CBatonThreads"]),
        module("ZeroMQ", ["BatonThreads", "CBatonZeroMQ"]),
        module("Processes", ["BatonThreads", "CBatonSpawn"]),
        module("Digests", ["CBatonDigest"]),
        module("Texts"),
        module("Arguments", ["BatonTexts"]),
        module("JSON"),
        module("Logging", ["BatonTexts"]),
        module("Invariants"),

        // The core: values, and the pure state machine.
        module("Operations", ["BatonTexts"]),
        module("Scheduler", ["BatonInvariants", "BatonOperations"]),

        // What crosses a boundary: the network, the disk, a user's file, a script's JSON.
        module("Wire", ["BatonOperations"]),
        module(
            "Store",
            [
                "BatonInvariants", "BatonJSON", "BatonOperations", "BatonThreads", "CBatonPostgreSQL", "CBatonSQLite",
            ]
        ),
        module("MemoryDisk", ["BatonStore", "CBatonMemoryDisk"]),
        module("GraphFiles", ["BatonJSON", "BatonOperations"]),
        module("Documents", ["BatonJSON", "BatonOperations"]),

        // What happened in a job: a trace, spans and drawings of the graph for other programs, and sums for people.
        module("Traces", ["BatonJSON", "BatonOperations"]),
        module("Telemetry", ["BatonJSON", "BatonOperations"]),
        module("Drawings", ["BatonDocuments", "BatonOperations"]),
        module("Aggregates", ["BatonDocuments", "BatonOperations", "BatonTraces"]),

        // How many workers a batch system is asked for, and what its programs are asked and answer.
        module("Supply", ["BatonOperations"]),

        // Whether the processes of a host go on, asked over local sockets.
        module("Health", ["BatonDocuments"]),

        // HTTP, on top of a library that is loaded when it is needed.
        module(
            "Web",
            [
                "BatonAggregates", "BatonDocuments", "BatonDrawings", "BatonGraphFiles", "BatonJSON", "BatonKeys",
                "BatonOperations", "BatonThreads", "BatonTraces", "BatonWire", "CBatonAssets", "CBatonMicroHTTPD",
            ],
            excluded: ["Assets"]
        ),

        // Who may connect: keys and roles, key files, and the tokens that carry keys.
        module("Keys", ["BatonDigests", "BatonThreads", "BatonZeroMQ"]),

        // What a load generator computes: jobs of many forms, percentiles, what processes use.
        module("Benchmarks", ["BatonOperations"]),

        // The shells.
        module(
            "Coordinator",
            [
                "BatonDocuments", "BatonGraphFiles", "BatonHealth", "BatonInvariants", "BatonKeys", "BatonLogging",
                "BatonOperations", "BatonScheduler", "BatonStore", "BatonThreads", "BatonWire", "BatonZeroMQ",
            ]
        ),
        module(
            "Worker",
            [
                "BatonDigests", "BatonDocuments", "BatonHealth", "BatonInvariants", "BatonKeys", "BatonOperations",
                "BatonProcesses", "BatonLogging", "BatonThreads", "BatonWire", "BatonZeroMQ",
            ]
        ),
        module("Client", ["BatonDigests", "BatonKeys", "BatonOperations", "BatonWire", "BatonZeroMQ", "BatonThreads"]),

        // What a Swift program imports, and what the command line is made of.
        .target(
            name: "Baton",
            dependencies: [
                "BatonClient", "BatonDigests", "BatonDocuments", "BatonJSON", "BatonKeys", "BatonLogging",
                "BatonOperations", "BatonProcesses", "BatonThreads", "BatonWire", "BatonWorker",
            ],
            swiftSettings: settings
        ),
        // What the tests of a Swift program import: a cluster in one process, with a clock that the test moves.
        .target(
            name: "BatonTestKit",
            dependencies: [
                "Baton", "BatonClient", "BatonCoordinator", "BatonInvariants", "BatonLogging", "BatonMemoryDisk",
                "BatonOperations", "BatonScheduler", "BatonStore", "BatonThreads", "BatonWire", "BatonWorker",
                "BatonZeroMQ",
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "baton-cli",
            dependencies: [
                "BatonArguments", "BatonBenchmarks", "BatonClient", "BatonCoordinator", "BatonDigests",
                "BatonDocuments",
                "BatonDrawings", "BatonGraphFiles", "BatonHealth", "BatonJSON", "BatonKeys", "BatonLogging",
                "BatonOperations", "BatonProcesses", "BatonScheduler", "BatonStore", "BatonSupply", "BatonTelemetry",
                "BatonTexts", "BatonThreads",
                "BatonTraces", "BatonWire", "BatonWeb", "BatonWorker", "BatonZeroMQ", "CBatonBuild",
                "CBatonLine",
            ],
            swiftSettings: settings
        ),

        // What several of the tests need.
        support("Values", ["BatonOperations"]),
        support("Records", ["BatonDocuments", "BatonMemoryDisk", "BatonOperations", "BatonStore"]),
        support("Servers", ["BatonStore"]),
        support("Sockets", ["BatonZeroMQ"]),

        // Both machines on a simulated network, clock and disk, and the command that runs as many seeds as one likes.
        .target(
            name: "BatonSimulation",
            dependencies: [
                "BatonCoordinator", "BatonKeys", "BatonLogging", "BatonMemoryDisk", "BatonOperations",
                "BatonScheduler", "BatonStore", "BatonTestRecords", "BatonTestValues", "BatonThreads", "BatonWire",
                "BatonWorker", "BatonZeroMQ",
            ],
            path: "Tests/Simulation",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "simulate",
            dependencies: ["BatonArguments", "BatonSimulation"],
            path: "Tests/Simulate",
            swiftSettings: settings
        ),
        tests(of: "Simulation"),

        // What an operation costs in instructions: see scripts/cost.
        .executableTarget(
            name: "cost",
            dependencies: [
                "BatonBenchmarks", "BatonCoordinator", "BatonLogging", "BatonMemoryDisk", "BatonOperations",
                "BatonScheduler", "BatonStore", "BatonWire", "BatonZeroMQ",
            ],
            path: "Tests/Cost",
            exclude: ["limits.txt"],
            swiftSettings: settings
        ),

        // A coordinator with many workers on a simulated clock, and the command that measures it: see scripts/capacity.
        .target(
            name: "BatonCapacity",
            dependencies: [
                "BatonBenchmarks", "BatonCoordinator", "BatonLogging", "BatonMemoryDisk", "BatonOperations",
                "BatonScheduler", "BatonStore", "BatonWire", "BatonZeroMQ",
            ],
            path: "Tests/Capacity",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "capacity",
            dependencies: ["BatonArguments", "BatonBenchmarks", "BatonCapacity"],
            path: "Tests/MeasureCapacity",
            swiftSettings: settings
        ),
        tests(of: "Capacity", ["BatonBenchmarks"]),

        // What the library takes to add operations: see scripts/library.
        .executableTarget(
            name: "library-cost",
            dependencies: ["Baton"],
            path: "Tests/LibraryCost",
            swiftSettings: settings
        ),

        // A network that breaks, for tests on real processes.
        .target(name: "BatonNetworkFaults", path: "Tests/NetworkFaults", swiftSettings: settings),

        // A program of one's own that is a worker, and the operations that the end-to-end tests have it run.
        .target(
            name: "BatonSampleOperations",
            dependencies: ["Baton"],
            path: "Tests/SampleOperations",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "sample-worker",
            dependencies: ["Baton", "BatonSampleOperations"],
            path: "Tests/SampleWorker",
            swiftSettings: settings
        ),

        // Programs that show the library to its users, run by the end-to-end tests.
        example("Pipeline", ["Baton"]),
        example("OperationQueueProgram"),
        example("MovedProgram", ["Baton"]),
        example("OwnWorker", ["Baton"]),

        // The reliability promises, checked on real processes: see scripts/chaos.
        .target(name: "BatonChaosChecks", path: "Tests/Chaos/Checks", swiftSettings: settings),
        .executableTarget(
            name: "chaos",
            dependencies: [
                "BatonArguments", "BatonChaosChecks", "BatonNetworkFaults", "BatonOperations", "BatonProcesses",
            ],
            path: "Tests/Chaos",
            exclude: ["Checks"],
            swiftSettings: settings
        ),
        tests(of: "ChaosChecks"),

        tests(of: "Threads"),
        tests(of: "Digests", ["CBatonDigest"]),
        tests(of: "Texts"),
        tests(of: "ZeroMQ", ["BatonOperations", "BatonTestSockets", "BatonThreads"]),
        tests(of: "Health", ["BatonDocuments"]),
        tests(of: "Supply", ["BatonOperations"]),
        tests(of: "Keys", ["BatonDigests", "BatonOperations", "BatonTestSockets", "BatonThreads", "BatonZeroMQ"]),
        tests(of: "Processes"),
        tests(
            of: "Web",
            [
                "BatonAggregates", "BatonDocuments", "BatonDrawings", "BatonJSON", "BatonKeys", "BatonOperations",
                "BatonTestSockets", "BatonThreads", "BatonWire",
            ]
        ),
        tests(of: "Arguments", ["BatonOperations", "BatonTexts"]),
        tests(of: "JSON", ["BatonOperations"]),
        tests(of: "Logging"),
        tests(of: "Invariants"),
        tests(of: "Operations", ["BatonTestValues"]),
        tests(of: "Scheduler", ["BatonOperations", "BatonTestValues"]),
        tests(of: "Wire", ["BatonOperations", "BatonTestValues"]),
        tests(
            of: "Store",
            [
                "BatonJSON", "BatonMemoryDisk", "BatonOperations", "BatonTestRecords", "BatonTestServers",
                "BatonTestValues",
            ]
        ),
        tests(
            of: "TestKit",
            ["Baton", "BatonClient", "BatonDocuments", "BatonOperations", "BatonWire", "BatonWorker"]
        ),
        tests(of: "GraphFiles", ["BatonOperations", "BatonTestValues"]),
        tests(of: "Documents", ["BatonOperations", "BatonTestRecords", "BatonTestValues"]),
        tests(of: "Traces", ["BatonOperations"]),
        tests(of: "Telemetry", ["BatonJSON", "BatonOperations"]),
        tests(of: "Drawings", ["BatonDocuments", "BatonOperations", "BatonTestValues"]),
        tests(of: "Aggregates", ["BatonDocuments", "BatonOperations"]),
        tests(of: "Benchmarks", ["BatonOperations"]),
        tests(
            of: "Coordinator",
            [
                "BatonDigests", "BatonDocuments", "BatonKeys", "BatonLogging", "BatonMemoryDisk", "BatonOperations",
                "BatonScheduler", "BatonStore", "BatonTestRecords", "BatonTestServers", "BatonTestValues", "BatonWire",
                "BatonWorker", "BatonZeroMQ",
            ]
        ),
        tests(
            of: "Worker",
            [
                "BatonDigests", "BatonKeys", "BatonLogging", "BatonOperations", "BatonProcesses", "BatonTestSockets",
                "BatonTestValues", "BatonThreads", "BatonWire", "BatonZeroMQ",
            ]
        ),
        tests(
            of: "Client",
            [
                "BatonDigests", "BatonKeys", "BatonNetworkFaults", "BatonOperations", "BatonTestSockets",
                "BatonThreads",
                "BatonWire", "BatonZeroMQ",
            ]
        ),
        .testTarget(
            name: "BatonTests",
            dependencies: [
                "Baton", "BatonClient", "BatonKeys", "BatonLogging", "BatonOperations", "BatonTestValues", "BatonWire",
                "BatonWorker",
            ],
            swiftSettings: settings
        ),
        // The manual in Sources/Baton/Baton.docc, compared with the declarations and tests that it tells of.
        .testTarget(
            name: "ManualTests",
            dependencies: [
                "baton-cli", "Baton", "BatonArguments", "BatonBenchmarks", "BatonDocuments", "BatonGraphFiles",
                "BatonOperations", "BatonTestRecords", "MovedProgram",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "EndToEnd",
            dependencies: [
                "baton-cli", "sample-worker", "Pipeline", "OperationQueueProgram", "MovedProgram", "OwnWorker",
                "Baton", "BatonArguments", "BatonClient", "BatonCoordinator",
                "BatonDocuments", "BatonJSON", "BatonKeys", "BatonNetworkFaults", "BatonOperations", "BatonProcesses",
                "BatonSampleOperations", "BatonStore", "BatonTestRecords", "BatonTestSockets", "BatonTestValues",
                "BatonTexts", "BatonWire", "BatonWorker", "BatonZeroMQ", "CBatonLine",
            ],
            exclude: ["README.md"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)

// Leaves out the targets that the selected tests do not need.
if let selectedTests, selectedTests != ["all"] {
    let targets: [String: Target] = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var needed: Set<String> = []
    var names = selectedTests.map { targets[$0] == nil ? $0 + "Tests" : $0 }
    while let name = names.popLast() {
        guard let target = targets[name] else { preconditionFailure("BATON_TESTS names no target with \(name).") }
        guard needed.insert(name).inserted else { continue }
        for dependency in target.dependencies {
            switch dependency {
            case .targetItem(let name, _), .byNameItem(let name, _): names.append(name)
            default: break
            }
        }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    package.products = []
}
