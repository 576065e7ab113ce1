// Attention on the CPU.
#include "operators.h"

namespace {

using namespace torchstone;

// The arguments after the tensors in both operators.
struct Mask {
    const Maybe &key_padding_mask, &slopes, &seed, &cu_seq_q, &cu_seq_k;
    int64_t max_q, max_k, left, right;
    double scale, dropout;
};

// A tensor with contiguous rows, as the kernels require.
Tensor with_dense_rows(const Tensor& x) {
    return x.size(3) <= 1 || x.stride(3) == 1 ? x : torch::stable::contiguous(x);
}

Heads heads_of(const Tensor& x) {
    return {const_cast<void*>(x.const_data_ptr()), x.stride(0), x.stride(1), x.stride(2)};
}

// An output of the shape of x, with the heads of a position adjacent in memory.
Tensor rows_like(const Tensor& x) {
    Tensor rows = torch::stable::new_empty(x, {x.size(0), x.size(2), x.size(1), x.size(3)});
    return torch::stable::transpose(rows, 1, 2);
}

// Offsets of packed sequences.
std::vector<int64_t> starts_of(const Maybe& cu_seq, const char* name, int64_t size) {
    if (!cu_seq.has_value()) {
        return {};
    }
    const Tensor dense = torch::stable::contiguous(*cu_seq);
    const int64_t count = dense.numel();
    std::vector<int64_t> starts(count);
    if (dense.scalar_type() == ScalarType::Int) {
        const auto* from = static_cast<const int32_t*>(dense.const_data_ptr());
        std::copy(from, from + count, starts.begin());
    } else {
        STD_TORCH_CHECK(dense.scalar_type() == ScalarType::Long, "torchstone: ", name,
                        " is neither int32 nor int64");
        const auto* from = static_cast<const int64_t*>(dense.const_data_ptr());
        std::copy(from, from + count, starts.begin());
    }
    STD_TORCH_CHECK(count > 0 && starts.front() == 0 && starts.back() == size &&
                        std::is_sorted(starts.begin(), starts.end()),
                    "flash_attention: ", name, " goes from ", count > 0 ? starts.front() : 0,
                    " to ", count > 0 ? starts.back() : 0, "; expected from 0 to ", size,
                    ", without a step back");
    return starts;
}

int64_t longest_of(const std::vector<int64_t>& starts, int64_t otherwise) {
    int64_t longest = starts.empty() ? otherwise : 0;
    for (size_t i = 1; i < starts.size(); i++) {
        longest = std::max(longest, starts[i] - starts[i - 1]);
    }
    return longest;
}

// Owns the data that the arguments of the kernels point to.
class Call {
public:
    Call(const Tensor& query, const Tensor& key, const Tensor& value, const Mask& mask)
        : query_(with_dense_rows(query)), key_(with_dense_rows(key)),
          value_(with_dense_rows(value)),
          starts_q_(starts_of(mask.cu_seq_q, "cu_seq_q", query.size(2))),
          starts_k_(starts_of(mask.cu_seq_k, "cu_seq_k", key.size(2))) {
        require_shapes(query, key, value);
        STD_TORCH_CHECK(starts_q_.size() == starts_k_.size(),
                        "torchstone: cu_seq_q and cu_seq_k are not of one length");
        STD_TORCH_CHECK(starts_q_.empty() || query.size(0) == 1,
                        "torchstone: packed sequences have a batch of 1");
        it.type = type_of(query);
        it.query = heads_of(query_), it.key = heads_of(key_), it.value = heads_of(value_);
        it.batch = query.size(0), it.num_heads = query.size(1), it.num_key_heads = key.size(1);
        it.num_queries = query.size(2), it.num_keys = key.size(2), it.head_dim = query.size(3);
        const bool is_packed = !starts_q_.empty();
        it.num_sequences = is_packed ? static_cast<int64_t>(starts_q_.size()) - 1 : it.batch;
        it.starts_q = is_packed ? starts_q_.data() : nullptr;
        it.starts_k = is_packed ? starts_k_.data() : nullptr;
        it.longest_q = longest_of(starts_q_, it.num_queries);
        it.longest_k = longest_of(starts_k_, it.num_keys);
        it.left = mask.left, it.right = mask.right, it.scale = mask.scale;
        take_optional(query, mask);
    }

    Attention it{};

private:
    static void require_shapes(const Tensor& query, const Tensor& key, const Tensor& value) {
        STD_TORCH_CHECK(query.dim() == 4 && key.dim() == 4 && value.dim() == 4,
                        "torchstone: query, key and value have not four dimensions");
        STD_TORCH_CHECK(key.size(0) == query.size(0) && key.size(3) == query.size(3) &&
                            key.size(1) > 0 && query.size(1) % key.size(1) == 0 &&
                            query.size(3) <= 256,
                        "torchstone: key does not go with query");
        require_like(value, "value", key);
        STD_TORCH_CHECK(value.size(0) == key.size(0) && value.size(1) == key.size(1) &&
                            value.size(2) == key.size(2) &&
                            key.scalar_type() == query.scalar_type(),
                        "torchstone: value does not go with key");
    }

    void take_optional(const Tensor& query, const Mask& mask) {
        if (mask.key_padding_mask.has_value()) {
            padding_ = torch::stable::contiguous(*mask.key_padding_mask);
            STD_TORCH_CHECK(padding_->scalar_type() == ScalarType::Bool &&
                                padding_->numel() == it.batch * it.num_keys && !it.starts_q,
                            "torchstone: key_padding_mask has not a bool for each key");
            it.key_is_padding = static_cast<const bool*>(padding_->const_data_ptr());
        }
        if (mask.slopes.has_value()) {
            slopes_ = torch::stable::contiguous(*mask.slopes);
            require_numbers(*slopes_, "slopes", query, it.num_heads);
            it.slopes = slopes_->const_data_ptr();
        }
        if (mask.seed.has_value()) {
            STD_TORCH_CHECK(mask.seed->scalar_type() == ScalarType::Long &&
                                mask.seed->numel() == 1,
                            "torchstone: seed is not one int64");
            it.drops = true;
            it.dropout = mask.dropout;
            it.seed = *static_cast<const uint64_t*>(mask.seed->const_data_ptr());
        }
    }

    Tensor query_, key_, value_;
    std::vector<int64_t> starts_q_, starts_k_;
    Maybe padding_, slopes_;
};

template <typename Run>
void run_tasks(const Attention& it, bool backward, Run run) {
    const int64_t bytes = kernels().attention_bytes(it, backward);
    torch::stable::parallel_for(0, kernels().attention_tasks(it, backward), 1,
                                [&](int64_t first, int64_t last) {
                                    const Memory memory(bytes);
                                    run(first, last, memory.get());
                                });
}

std::tuple<Tensor, Tensor> forward(const Tensor& query, const Tensor& key, const Tensor& value,
                                   const Mask& mask) {
    Call call(query, key, value, mask);
    Tensor out = rows_like(query);
    Tensor lse = torch::stable::new_empty(
        query, {query.size(0), query.size(1), query.size(2)}, compute_dtype(query));
    call.it.out = heads_of(out);
    call.it.lse = lse.mutable_data_ptr();
    run_tasks(call.it, false, [&](int64_t first, int64_t last, void* memory) {
        kernels().attention(call.it, first, last, memory);
    });
    return {out, lse};
}

std::tuple<Tensor, Tensor, Tensor> backward(const Tensor& grad, const Tensor& query,
                                            const Tensor& key, const Tensor& value,
                                            const Tensor& out, const Tensor& lse,
                                            const Mask& mask) {
    Call call(query, key, value, mask);
    require_like(grad, "grad", query);
    require_like(out, "out", query);
    require_numbers(lse, "lse", query, query.size(0) * query.size(1) * query.size(2));
    const Tensor dense_grad = with_dense_rows(grad), dense_out = with_dense_rows(out);
    Tensor of_query = rows_like(query), of_key = rows_like(key), of_value = rows_like(value);
    call.it.out = heads_of(dense_out);
    call.it.lse = const_cast<void*>(lse.const_data_ptr());
    const AttentionBackward it{call.it, heads_of(dense_grad), heads_of(of_query),
                               heads_of(of_key), heads_of(of_value)};
    run_tasks(call.it, true, [&](int64_t first, int64_t last, void* memory) {
        kernels().attention_backward(it, first, last, memory);
    });
    return {of_query, of_key, of_value};
}

std::tuple<Tensor, Tensor> flash_attention(
    const Tensor& query, const Tensor& key, const Tensor& value, const Maybe& key_padding_mask,
    const Maybe& slopes, const Maybe& seed, const Maybe& cu_seq_q, const Maybe& cu_seq_k,
    int64_t max_q, int64_t max_k, int64_t left, int64_t right, double scale, double dropout) {
    return forward(query, key, value,
                   {key_padding_mask, slopes, seed, cu_seq_q, cu_seq_k, max_q, max_k, left, right,
                    scale, dropout});
}

std::tuple<Tensor, Tensor, Tensor> flash_attention_backward(
    const Tensor& grad, const Tensor& query, const Tensor& key, const Tensor& value,
    const Tensor& out, const Tensor& lse, const Maybe& key_padding_mask, const Maybe& slopes,
    const Maybe& seed, const Maybe& cu_seq_q, const Maybe& cu_seq_k, int64_t max_q, int64_t max_k,
    int64_t left, int64_t right, double scale, double dropout) {
    return backward(grad, query, key, value, out, lse,
                    {key_padding_mask, slopes, seed, cu_seq_q, cu_seq_k, max_q, max_k, left, right,
                     scale, dropout});
}

}  // namespace

void torchstone::register_attention(Operators& m) {
    m.impl("flash_attention", TORCH_BOX(&flash_attention));
    m.impl("flash_attention_backward", TORCH_BOX(&flash_attention_backward));
}
