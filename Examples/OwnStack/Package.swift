// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "OwnStack",
    // By its version: .package(url: "https://…/StackBench", .upToNextMinor(from: "0.9.0"))
    dependencies: [.package(name: "StackBench", path: "../..")],
    targets: [
        .executableTarget(
            name: "ownbench",
            dependencies: [
                .product(name: "ObjectGraph", package: "StackBench"),
                .product(name: "StackBench", package: "StackBench"),
                .product(name: "Stacks", package: "StackBench"),
            ])
    ],
    swiftLanguageModes: [.v6]
)
