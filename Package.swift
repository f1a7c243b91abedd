// swift-tools-version: 6.0

import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

/// A Swift module under `Sources/`.
func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// The tests of one module, in `Tests/<module>Tests`.
func tests(of name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: name + "Tests",
        dependencies: [.target(name: name)] + dependencies,
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
    return .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt]), .brew([brew])])
}

let package = Package(
    name: "baton",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "baton", targets: ["baton-cli"]),
        .library(name: "Baton", targets: ["Baton"]),
    ],
    targets: [
        // C: two system libraries, and the launching of processes.
        library("CZeroMQ", pkgConfig: "libzmq", apt: "libzmq3-dev", brew: "zeromq"),
        library("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev", brew: "sqlite"),
        .target(name: "CSpawn"),

        // Leaves: they know nothing of Baton.
        module("ZeroMQ", ["CZeroMQ"]),
        module("Processes", ["CSpawn"]),
        module("Arguments"),
        module("Logging"),

        // The core: values, and the pure state machine.
        module("Operations"),
        module("Scheduler", ["Operations"]),

        // What crosses a boundary: the network, the disk, a user's file, a script's JSON.
        module("Wire", ["Operations"]),
        module("Store", ["Operations", "CSQLite"]),
        module("GraphFiles", ["Operations"]),
        module("Documents", ["Operations"]),

        // What a load generator computes: jobs of many forms, percentiles, what processes use.
        module("Benchmarks", ["Operations"]),

        // The shells.
        module("Coordinator", ["Operations", "Scheduler", "Wire", "Store", "Documents", "ZeroMQ", "Logging"]),
        module("Worker", ["Operations", "Wire", "ZeroMQ", "Processes", "Logging"]),
        module("Client", ["Operations", "Wire", "ZeroMQ"]),

        // What a Swift program imports, and what the command line is made of.
        module("Baton", ["Client", "Documents", "Logging", "Operations", "Processes", "Worker"]),
        .executableTarget(
            name: "baton-cli",
            dependencies: [
                "Arguments", "Benchmarks", "Client", "Coordinator", "Documents", "GraphFiles", "Logging", "Operations",
                "Processes",
                "Scheduler", "Wire", "Worker",
            ],
            swiftSettings: settings
        ),

        // What several of the tests need.
        .target(
            name: "TestSupport",
            dependencies: ["Operations", "Store"],
            path: "Tests/Support",
            swiftSettings: settings
        ),

        // Both machines on a simulated network, clock and disk, and the command that runs as many seeds as one likes.
        .target(
            name: "Simulation",
            dependencies: [
                "Coordinator", "Logging", "Operations", "Scheduler", "Store", "TestSupport", "Wire", "Worker",
                "ZeroMQ",
            ],
            path: "Tests/Simulation",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "simulate",
            dependencies: ["Arguments", "Simulation"],
            path: "Tests/Simulate",
            swiftSettings: settings
        ),
        tests(of: "Simulation"),

        // What an operation costs in instructions: see scripts/cost.
        .executableTarget(
            name: "cost",
            dependencies: ["Benchmarks", "Operations", "Scheduler", "Store", "Wire"],
            path: "Tests/Cost",
            exclude: ["limits.txt"],
            swiftSettings: settings
        ),

        // A network that breaks, for tests on real processes.
        .target(name: "NetworkFaults", path: "Tests/NetworkFaults", swiftSettings: settings),

        // A program of one's own that is a worker, and the operations that the end-to-end tests have it run.
        .target(
            name: "SampleOperations",
            dependencies: ["Baton"],
            path: "Tests/SampleOperations",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "sample-worker",
            dependencies: ["Baton", "SampleOperations"],
            path: "Tests/SampleWorker",
            swiftSettings: settings
        ),

        // The reliability promises, checked on real processes: see scripts/chaos.
        .target(name: "ChaosChecks", path: "Tests/Chaos/Checks", swiftSettings: settings),
        .executableTarget(
            name: "chaos",
            dependencies: ["Arguments", "ChaosChecks", "NetworkFaults", "Operations", "Processes"],
            path: "Tests/Chaos",
            exclude: ["Checks"],
            swiftSettings: settings
        ),
        tests(of: "ChaosChecks"),

        tests(of: "ZeroMQ"),
        tests(of: "Processes"),
        tests(of: "Arguments"),
        tests(of: "Logging"),
        tests(of: "Operations"),
        tests(of: "Scheduler", ["TestSupport"]),
        tests(of: "Wire"),
        tests(of: "Store", ["TestSupport"]),
        tests(of: "GraphFiles"),
        tests(of: "Documents"),
        tests(of: "Benchmarks", ["Operations"]),
        tests(of: "Coordinator"),
        tests(of: "Worker"),
        tests(of: "Client", ["Operations", "Wire", "ZeroMQ"]),
        .testTarget(
            name: "EndToEnd",
            dependencies: [
                "baton-cli", "sample-worker", "Arguments", "Baton", "Client", "Coordinator", "Documents",
                "NetworkFaults",
                "Operations", "SampleOperations", "Wire", "Worker", "ZeroMQ",
            ],
            exclude: ["README.md"],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
