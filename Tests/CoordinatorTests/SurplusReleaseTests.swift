@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonCoordinator

@Suite("The permission to delete a surplus copy, as workers hear it", .timeLimit(.minutes(60)))
struct SurplusReleaseTests {
    /// The workers that were told so since the last call.
    private func told(_ message: CoordinatorMessage, in scene: TransferScene) -> [Int] {
        (0..<3).filter { scene.take(TransferScene.peer($0)).contains(.said(message)) }
    }

    @Test("FI9 One worker may delete the copy that is more than wanted, until another copy is gone", arguments: [1, 2])
    func surplus(copies: Int) throws {
        let scene = try TransferScene(copies: copies)
        let digests = [scene.file.digest]
        let (release, retain) = (CoordinatorMessage.releaseFiles(digests), CoordinatorMessage.retainFiles(digests))
        scene.say(.filesHeld(TransferScene.session(scene.asker), digests, isFirst: false), as: scene.asker)
        #expect(told(release, in: scene).isEmpty)
        scene.pass(.seconds(61), alive: [0, 1, 2])
        let released = told(release, in: scene)
        // Without wanted copies each copy may be of use: nobody looks for a surplus.
        guard copies > 1 else {
            #expect(released.isEmpty)
            return
        }
        // The worker of the dependent needs its copy.
        let worker = try #require(released.first)
        #expect(released.count == 1 && worker != scene.asker)
        let other = try #require(scene.holders.first { $0 != worker })
        scene.say(.filesDropped(TransferScene.session(other), digests), as: other)
        #expect(told(retain, in: scene) == [worker])
        scene.pass(.seconds(121), alive: [0, 1, 2])
        #expect(told(release, in: scene).isEmpty)
    }
}
