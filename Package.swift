// swift-tools-version: 6.2
import PackageDescription

// Set by `scripts/test --sanitize`: a sanitizer brings an allocator of its own and has to see the locks.
let sanitizer = Context.environment["STACKBENCH_SANITIZER"]
let allocator: [Target.Dependency] = sanitizer == nil ? ["CJemalloc"] : []
let strict: [SwiftSetting] =
    [.treatAllWarnings(as: .error)]
    + (sanitizer.map { [.define("\($0.uppercased())_SANITIZER")] } ?? [])

// Tests are built without optimisation and on all cores in a release build too: to optimise them takes longer than it
// then saves.
let ofTests =
    strict + [
        .unsafeFlags(
            ["-Onone", "-no-whole-module-optimization", "-enable-batch-mode"],
            .when(configuration: .release))
    ]

let package = Package(
    name: "StackBench",
    products: [
        .library(name: "ObjectGraph", targets: ["ObjectGraph"]),
        .library(name: "Stacks", targets: ["Stacks"]),
        .library(name: "Timeline", targets: ["Timeline"]),
        .library(name: "SpanTracing", targets: ["SpanTracing"]),
        .library(name: "MigrationKit", targets: ["MigrationKit"]),
        .library(name: "PostgreSQLStore", targets: ["PostgreSQLStore"]),
        .library(name: "StackBench", targets: ["StackBench"]),
        .executable(name: "bench", targets: ["bench"]),
        .executable(name: "modelgen", targets: ["modelgen"]),
        .plugin(name: "GenerateModel", targets: ["GenerateModel"]),
        .plugin(name: "RunBench", targets: ["RunBench"]),
    ],
    // Off by default, so that nobody needs libpq who does not use it. Without it the modules are empty.
    traits: [
        .trait(name: "PostgreSQL", description: "Stores in a PostgreSQL database; needs libpq.")
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
        .package(url: "https://github.com/stencilproject/Stencil", from: "0.15.1"),
    ],
    targets: [
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CJemalloc", pkgConfig: "jemalloc", providers: [.apt(["libjemalloc-dev"])]),
        .systemLibrary(
            name: "CPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
        .systemLibrary(name: "CScheduler"),
        .target(
            name: "ObjectGraph",
            dependencies: ["CSQLite", "CZlib", .product(name: "Logging", package: "swift-log")],
            swiftSettings: strict),
        .target(name: "Stacks", dependencies: ["ObjectGraph"], swiftSettings: strict),
        .target(name: "Timeline", dependencies: ["ObjectGraph"], swiftSettings: strict),
        .target(
            name: "SpanTracing",
            dependencies: [
                "ObjectGraph", "Timeline",
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: strict),
        .target(name: "MigrationKit", dependencies: ["ObjectGraph"], swiftSettings: strict),
        .target(
            name: "PostgreSQLStore",
            dependencies: [
                "ObjectGraph",
                .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
            ],
            swiftSettings: strict),
        .target(name: "ModelSource", dependencies: ["ObjectGraph"], swiftSettings: strict),
        .executableTarget(
            name: "modelgen",
            dependencies: [
                "ModelSource", "ObjectGraph", .product(name: "Stencil", package: "Stencil"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            resources: [
                .embedInCode("Templates/machine.stencil"), .embedInCode("Templates/human.stencil"),
            ],
            swiftSettings: strict),
        .plugin(
            name: "GenerateModel",
            capability: .command(
                intent: .custom(
                    verb: "generate-model",
                    description: "Write the classes of a model file; see modelgen --help."),
                permissions: [
                    .writeToPackageDirectory(reason: "It writes the source files of the classes.")
                ]),
            dependencies: ["modelgen"]),
        .plugin(
            name: "RunBench",
            capability: .command(
                intent: .custom(
                    verb: "bench",
                    description:
                        "Build the package's program of StackBench for release, and run it."),
                permissions: [
                    .writeToPackageDirectory(reason: "Runs are kept in its folder results.")
                ])),
        .target(name: "Measuring", swiftSettings: strict),
        .target(name: "RunRecords", dependencies: ["Measuring"], swiftSettings: strict),
        .target(name: "Reports", dependencies: ["Measuring", "RunRecords"], swiftSettings: strict),
        .target(name: "Datasets", swiftSettings: strict),
        .target(
            name: "StackBench",
            dependencies: [
                "Measuring", "RunRecords", "Reports", "Datasets", "Stacks", "ObjectGraph",
                "Timeline", "ModelSource", "CSQLite", "CScheduler",
                .target(name: "PostgreSQLStore", condition: .when(traits: ["PostgreSQL"])),
                .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
                "Yams", .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ] + allocator,
            path: "Benchmarks/StackBench",
            swiftSettings: strict),
        .executableTarget(
            name: "bench", dependencies: ["StackBench"], path: "Benchmarks/bench",
            swiftSettings: strict),
        .target(
            name: "TestSupport", dependencies: ["ObjectGraph", "PostgreSQLStore"],
            path: "Tests/TestSupport",
            swiftSettings: strict),
        // For `scripts/crash`.
        .executableTarget(
            name: "CrashCampaign", dependencies: ["Stacks", "ObjectGraph", "TestSupport"],
            path: "Tests/CrashCampaign", swiftSettings: strict),
        // For `scripts/statistics-campaign`.
        .executableTarget(
            name: "StatisticsCampaign", dependencies: ["Measuring", "RunRecords", "Reports"],
            path: "Tests/StatisticsCampaign", swiftSettings: strict),
        // For `scripts/server-campaign`.
        .executableTarget(
            name: "ServerCampaign",
            dependencies: [
                .target(name: "PostgreSQLStore", condition: .when(traits: ["PostgreSQL"])),
                .target(name: "CPostgreSQL", condition: .when(traits: ["PostgreSQL"])),
                "ObjectGraph", "TestSupport",
            ],
            path: "Tests/ServerCampaign", swiftSettings: strict),
        .testTarget(
            name: "ObjectGraphTests",
            dependencies: ["ObjectGraph", "PostgreSQLStore", "TestSupport", "CSQLite"],
            swiftSettings: ofTests),
        .testTarget(
            name: "StacksTests", dependencies: ["Stacks", "ObjectGraph", "TestSupport"],
            swiftSettings: ofTests),
        .testTarget(
            name: "TimelineTests", dependencies: ["Timeline", "ObjectGraph", "TestSupport"],
            swiftSettings: ofTests),
        .testTarget(
            name: "SpanTracingTests",
            dependencies: [
                "SpanTracing", "ObjectGraph", "TestSupport",
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: ofTests),
        .testTarget(
            name: "MigrationKitTests",
            dependencies: ["MigrationKit", "ObjectGraph", "TestSupport"],
            swiftSettings: ofTests),
        .testTarget(
            name: "PostgreSQLStoreTests",
            dependencies: ["PostgreSQLStore", "ObjectGraph", "TestSupport"],
            swiftSettings: ofTests),
        .testTarget(
            name: "ModelgenTests", dependencies: ["modelgen", "ObjectGraph", "TestSupport"],
            exclude: ["Library.xcdatamodeld"], swiftSettings: ofTests),
        .testTarget(
            name: "BenchTests",
            dependencies: [
                "Measuring", "RunRecords", "Reports", "Datasets", "ObjectGraph", "StackBench",
                "bench", "StatisticsCampaign", "TestSupport", "CSQLite", "Timeline", "Yams",
            ],
            exclude: ["Instrument/Goldens", "Extending/first-page.yml"],
            swiftSettings: ofTests),
    ],
    swiftLanguageModes: [.v6]
)

// `STACKBENCH_TESTS=StacksTests swift test` builds what one test target needs, and leaves the instrument and the generator
// out where it can; `none` builds no tests. `all` leaves out that plugin only whose tool, and so the engine, a build
// would make a second time.
if let tests = Context.environment["STACKBENCH_TESTS"] {
    let instrument = [
        "bench", "StackBench", "StatisticsCampaign", "Reports", "RunRecords", "Measuring",
        "Datasets", "RunBench",
    ]
    let generator = ["modelgen", "GenerateModel"]
    let unneeded =
        switch tests {
        case "all": ["GenerateModel"]
        case "BenchTests": generator
        case "ModelgenTests": ["GenerateModel"] + instrument
        default: instrument + generator + ["ModelSource"]
        }
    package.targets.removeAll {
        $0.type == .test ? tests != "all" && $0.name != tests : unneeded.contains($0.name)
    }
    package.products.removeAll { unneeded.contains($0.name) }
}

// For `scripts/fuzz`; it links with libFuzzer, which only such a build has.
if sanitizer == "fuzzer" {
    package.targets += [
        .executableTarget(
            name: "PredicateFuzzer", dependencies: ["ObjectGraph"], path: "Tests/PredicateFuzzer",
            exclude: ["Corpus", "leaks.txt", "predicates.dict"], swiftSettings: strict),
        .executableTarget(
            name: "ModelFuzzer", dependencies: ["ObjectGraph"], path: "Tests/ModelFuzzer",
            exclude: ["Corpus", "models.dict"], swiftSettings: strict),
    ]
}
