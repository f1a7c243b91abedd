@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonWorker

@Suite("Resources of a worker")
struct ResourcePoolTests {
    private func work(memory: Int64? = nil, _ resources: [String: Int64] = [:]) -> Work {
        Work(.commands([["true"]]), memory: memory, resources: resources)
    }

    @Test("Units have the lowest free numbers, and nobody else has them until they are given back")
    func numbers() {
        var pool = ResourcePool(WorkerOffer(resources: ["gpu": 3, "port": 1]))
        #expect(pool.claim(work(["gpu": 2]), for: token(1)) == ["gpu": [0, 1]])
        #expect(pool.claim(work(["gpu": 2]), for: token(2)) == nil)
        #expect(pool.claim(work(["gpu": 1, "port": 1]), for: token(3)) == ["gpu": [2], "port": [0]])
        pool.release(token(1))
        #expect(pool.claim(work(["gpu": 1, "port": 1]), for: token(4)) == nil, "nothing is taken by halves")
        #expect(pool.claim(work(["gpu": 2]), for: token(5)) == ["gpu": [0, 1]])
        pool.release(token(3))
        pool.release(token(3))
        pool.release(token(9))
        pool.release(token(5))
        #expect(pool.claim(work(["gpu": 3, "port": 1]), for: token(6)) == ["gpu": [0, 1, 2], "port": [0]])
    }

    @Test("Memory is shared up to its amount")
    func memory() {
        var pool = ResourcePool(WorkerOffer(memory: 100))
        #expect(pool.claim(work(memory: 60), for: token(1)) == [:])
        #expect(pool.claim(work(memory: 60), for: token(2)) == nil)
        #expect(pool.claim(work(memory: 40), for: token(3)) == [:])
        pool.release(token(1))
        #expect(pool.claim(work(memory: 60), for: token(2)) == [:])
    }

    @Test("What the worker can never give is said in a sentence")
    func objections() {
        let pool = ResourcePool(WorkerOffer(memory: 1 << 30, resources: ["gpu": 2]))
        #expect(pool.objection(to: work(memory: 1 << 30, ["gpu": 2])) == nil)
        #expect(
            pool.objection(to: work(memory: 2 << 30))
                == "The operation asks for 2G of memory, and its worker has 1G."
        )
        #expect(pool.objection(to: work(["gpu": 3])) == "The operation asks for 3 of gpu, and its worker has 2.")
        #expect(pool.objection(to: work(["port": 1])) == "The operation asks for 1 of port, and its worker has 0.")
    }

    @Test("A resource's variable has its name in capitals, with underscores for dots and hyphens")
    func variables() {
        #expect(ResourceVariable.name(of: "gpu") == "BATON_RESOURCE_GPU")
        #expect(ResourceVariable.name(of: "nvidia.com-a100_x") == "BATON_RESOURCE_NVIDIA_COM_A100_X")
    }
}

@Suite("Resources of a worker: what is allowed")
struct WorkerResourcesTests {
    private func objection(_ change: (inout WorkerResources) -> Void) -> String? {
        var resources = WorkerResources()
        change(&resources)
        return resources.objection
    }

    @Test("Usual resources are allowed")
    func allowed() {
        #expect(objection { _ in } == nil)
        let usual = objection {
            $0.cpus = 500
            $0.memory = 1 << 30
            $0.amounts = ["gpu": 2, "fast.disk": 4096]
            $0.variables = ["gpu": ["CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"]]
            $0.labels = ["zone": "1a"]
            $0.environment = ["LANG": "", "A": "b=c"]
        }
        #expect(usual == nil)
    }

    @Test("Others are refused with a sentence")
    func refused() {
        for (sentence, change) in [
            ("A worker has from 0.001 to 1000 processors.", { $0.cpus = 0 }),
            ("A worker has from 1 byte to 1024T of memory.", { $0.memory = 0 }),
            ("\"2\" is not a resource's name: \(ResourceName.rule).", { $0.amounts = ["2": 1] }),
            ("A worker has from 1 to 4096 of a resource, not 0 of gpu.", { $0.amounts = ["gpu": 0] }),
            (
                "The resources a-b and a.b would both be told in BATON_RESOURCE_A_B. Rename one of them.",
                { $0.amounts = ["a.b": 1, "a-b": 1] }
            ),
            (
                "The worker has no resource \"gpu\" whose units a variable could name.",
                { $0.variables = ["gpu": ["X"]] }
            ),
            (
                "The variable X is named twice for the resource gpu.",
                {
                    $0.amounts = ["gpu": 1]
                    $0.variables = ["gpu": ["X", "X"]]
                }
            ),
            (
                "The variable X cannot name the units of both a and b.",
                {
                    $0.amounts = ["a": 1, "b": 1]
                    $0.variables = ["a": ["X"], "b": ["X"]]
                }
            ),
            ("\"2\" is not a label's name: \(ResourceName.rule).", { $0.labels = ["2": "a"] }),
            (
                "\"a b\" cannot be the value of the label zone: \(ResourceName.valueRule).",
                { $0.labels = ["zone": "a b"] }
            ),
            ("\"A=B\" cannot be the name of an environment variable.", { $0.environment = ["A=B": ""] }),
            (
                "\"export A\" has white space in it, and cannot be the name of an environment variable.",
                { $0.environment = ["export A": ""] }
            ),
            (
                "\"export A\" has white space in it, and cannot be the name of an environment variable.",
                {
                    $0.amounts = ["gpu": 1]
                    $0.variables = ["gpu": ["export A"]]
                }
            ),
            (
                "The variable BATON_X is Baton's own. Choose a name that does not start with BATON_.",
                { $0.environment = ["BATON_X": ""] }
            ),
            ("The variable X has a NUL in it, which no program can be given.", { $0.environment = ["X": "a\0"] }),
        ] as [(String, (inout WorkerResources) -> Void)] {
            #expect(objection(change) == sentence)
        }
        let many = Dictionary(uniqueKeysWithValues: (0...ResourceName.maximumCount).map { ("n\($0)", $0 + 1) })
        #expect(objection { $0.amounts = many } == "A worker has at most 64 resources.")
        #expect(objection { $0.labels = many.mapValues { "\($0)" } } == "A worker has at most 64 labels.")
    }
}
